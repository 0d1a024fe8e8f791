"""The fixed parts of the Python that we write: everything but the tables.

In:  nothing.
Out: text, put together by ``output/code/python.py``. It runs on Python 3.8 and later.
"""

__all__ = ["BODY", "DECIDE", "HEAD", "INTERVAL", "INTERVAL_WORDS", "NAN", "WHY"]

HEAD = '''\
"""What a decision tree decides, as plain Python; written by orderless.

{name}({{"feature": value, ...}}) gives the {noun}, or None where it depends on unknown values;
{interval}why({{"feature": value, ...}}) gives a reason for it in words.
A value is unknown if it is left out, None or NaN{nan}.
The function's fingerprint: {fingerprint}
"""

from bisect import bisect_left

INF = float("inf")

'''

NAN = """ (where NaN is a value of its own,
only if it is left out)"""

DECIDE = '''\
def {name}(row):
    """Give the {noun} of a row, a dict of feature -> value; None where unknown values leave two."""
    values = _read(row)
    answer = None
    todo = [0]
    while todo:
        node = NODES[todo.pop()]
        if len(node) == 1:
            if answer is not None and node[0] != answer:
                return None
            answer = node[0]
            continue
        feature, test, missing, yes, no = node
        value = values[feature]
        if value is None:
            todo += [no, yes]
        elif value != value:
            todo.append(yes if missing else no)
        else:
            holds = value in test if isinstance(test, tuple) else value <= test
            todo.append(yes if holds else no)
    return answer

'''

INTERVAL_WORDS = """\
interval({"feature": value, ...}) gives the smallest and the largest number that it can be;
"""

INTERVAL = '''\
def interval(row):
    """Give the smallest and the largest number that a row can get, whatever is unknown."""
    values = _read(row)
    found = []
    todo = [0]
    while todo:
        node = NODES[todo.pop()]
        if len(node) == 1:
            found.append(node[0])
            continue
        feature, test, missing, yes, no = node
        value = values[feature]
        if value is None:
            todo += [no, yes]
        elif value != value:
            todo.append(yes if missing else no)
        else:
            holds = value in test if isinstance(test, tuple) else value <= test
            todo.append(yes if holds else no)
    return min(found), max(found)


'''

WHY = '''\
def why(row):
    """Give a reason in words: conditions that the row meets and that settle its {noun}."""
    answer = {name}(row)
    if answer is None:
        return None
    wholes = [_whole(feature) for feature in FEATURES]
    sides = [_point(i, value) for i, value in enumerate(_read(row))]
    for i, whole in enumerate(wholes):  # first leave out whole features, then widen the others
        _settles(sides, i, whole, answer)
    for i, feature in enumerate(FEATURES):
        if sides[i] != wholes[i]:
            widen = _widen_set if feature["kind"] == "categorical" else _widen_interval
            widen(sides, i, answer)
    told = [i for i, side in enumerate(sides) if side != wholes[i]]
    return " AND ".join(_words(FEATURES[i], sides[i], len(told) > 1) for i in told) or "always"

'''

BODY = '''

def _read(row):
    """Give the value of each feature: a number, the number of a category, or None for unknown."""
    if not hasattr(row, "keys"):
        raise ValueError("a row must be a dict of feature -> value, got %.80r" % (row,))
    for name in row.keys():
        if name not in NAMES:
            known = ", ".join(map(repr, sorted(NAMES)))
            raise ValueError("a row has the unknown feature %.80r; features are %s" % (name, known))
    return [_value(f, row[f["name"]]) if f["name"] in row else None for f in FEATURES]


def _value(feature, value):
    if feature["kind"] == "categorical":
        return _category(feature, value)
    number = INF - INF
    if not _unknown(value):
        try:
            if isinstance(value, (str, bytes, bytearray)) or getattr(value, "shape", ()) != ():
                raise TypeError
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            raise _refused(feature, value) from None
    if number != number:
        return number if feature["nan"] else None
    if feature["kind"] == "boolean" and number not in (0.0, 1.0):
        raise _refused(feature, value)
    if feature["kind"] == "integer" and number % 1 != 0:
        raise _refused(feature, value)
    return number


def _category(feature, value):
    values = feature["values"]
    if getattr(value, "shape", None) == () and hasattr(value, "item"):
        value = value.item()
    if _unknown(value):
        return len(values) + feature["other"] if feature["nan"] else None
    if isinstance(value, (bool, int, float, str)):
        if value in values:
            return values.index(value)
        if feature["other"]:
            return len(values)
    raise _refused(feature, value)


def _unknown(value):
    if value is None:
        return True
    try:
        return bool(value != value)
    except TypeError:  # an NA that does not say
        return True
    except ValueError:  # an array
        return False


def _refused(feature, value):
    kinds = {"numeric": "a number", "integer": "a whole number", "boolean": "0, 1, False or True"}
    allowed = kinds.get(feature["kind"])
    allowed = allowed or "one of " + ", ".join(map(repr, feature.get("values", ())))
    said = "feature %r must be %s, or None or NaN if it is unknown; got %.80r"
    return ValueError(said % (feature["name"], allowed, value))


# For why: a side says of a feature which values are possible. For numbers it is (first bin, last
# bin, whether NaN), where bin k lies above cut k - 1 and at most at cut k; else a set of values.


def _whole(feature):
    if feature["kind"] == "categorical":
        return frozenset(range(len(feature["values"]) + feature["other"] + feature["nan"]))
    return (0, len(feature["cuts"]), feature["nan"])


def _point(i, value):
    feature = FEATURES[i]
    if value is None:
        return _whole(feature)
    if feature["kind"] == "categorical":
        return frozenset([value])
    if value != value:
        return (1, 0, True)
    at = bisect_left(feature["cuts"], value)
    return (at, at, False)


def _parts(node, side):
    """Split a side at a node: what meets the test, what does not."""
    feature, test, missing, _, _ = node
    if isinstance(test, tuple):
        return side.intersection(test), side.difference(test)
    low, high, nan = side
    at = bisect_left(FEATURES[feature]["cuts"], test)
    yes = (low, min(high, at), nan and missing)
    no = (max(low, at + 1), high, nan and not missing)
    return [part if part[0] <= part[1] or part[2] else None for part in (yes, no)]


def _settles(sides, i, side, answer):
    """Whether every row gets the answer if one side is replaced; then it is."""
    before, sides[i] = sides[i], side
    todo = [(0, tuple(sides))]
    while todo:
        at, box = todo.pop()
        node = NODES[at]
        if len(node) == 1:
            if node[0] != answer:
                sides[i] = before
                return False
            continue
        k = node[0]
        for part, child in zip(_parts(node, box[k]), node[3:]):
            if part:
                todo.append((child, box if part == box[k] else box[:k] + (part,) + box[k + 1 :]))
    return True


def _widen_set(sides, i, answer):
    for value in sorted(_whole(FEATURES[i]) - sides[i]):
        _settles(sides, i, sides[i] | {value}, answer)


def _widen_interval(sides, i, answer):
    last = len(FEATURES[i]["cuts"])
    if FEATURES[i]["nan"] and not sides[i][2]:
        _settles(sides, i, sides[i][:2] + (True,), answer)
    if sides[i][0] > sides[i][1]:  # only NaN so far
        any(_settles(sides, i, (at, at, True), answer) for at in range(last + 1))
    if sides[i][0] <= sides[i][1]:
        _furthest(sides, i, answer, 1, last)
        _furthest(sides, i, answer, 0, 0)


def _furthest(sides, i, answer, end, goal):
    """Move one end of an interval as near to the goal as the answer allows, by halving."""
    step = 1 if goal >= sides[i][end] else -1
    good, bad = sides[i][end], goal + step
    while good + step != bad:
        tried = (good + bad) // 2
        side = list(sides[i])
        side[end] = tried
        if _settles(sides, i, tuple(side), answer):
            good = tried
        else:
            bad = tried


def _words(feature, side, many):
    name = feature["shown"]
    if feature["kind"] == "boolean":
        return name if side[1] == 1 else "not " + name
    if feature["kind"] == "categorical":
        return _set_words(feature, side)
    low, high, nan = side
    last = len(feature["cuts"])
    if low > high:
        return name + " is missing"
    if (low, high) == (0, last):
        return name + " is known"
    if high == last:
        number, beyond = feature["words"][low - 1]
        said = name + (" >= " if beyond else " > ") + number
    else:
        number, beyond = feature["words"][high]
        said = name + (" < " if beyond else " <= ") + number
        if low > 0:
            number, beyond = feature["words"][low - 1]
            said = number + (" <= " if beyond else " < ") + said
    if nan:
        return "(%s or missing)" % said if many else said + " or missing"
    return said


def _set_words(feature, side):
    names = list(feature["labels"])
    names += ["(other)"] * feature["other"] + ["(missing)"] * feature["nan"]
    inside = [name for code, name in enumerate(names) if code in side]
    outside = [name for code, name in enumerate(names) if code not in side]
    if len(inside) == 1:
        return feature["shown"] + " = " + inside[0]
    if len(outside) == 1:
        return feature["shown"] + " != " + outside[0]
    if len(outside) < len(inside):
        return feature["shown"] + " not in {" + ", ".join(outside) + "}"
    return feature["shown"] + " in {" + ", ".join(inside) + "}"
'''
