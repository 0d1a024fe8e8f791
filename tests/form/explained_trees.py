"""Trees whose explanations are looked at."""

import orderless as ol

# -- words ---------------------------------------------------------------------------------------


def split(feature, cut, yes, no, relation="<="):
    out = {"feature": feature, "true": yes, "false": no}
    if cut is not None:
        out |= {"relation": relation, "reference": cut}
    return out


LEAF = {c: {"prediction": c} for c in (0, 1, 2)}
SPACE = ol.Space(
    {"age": "integer", "sex": ["f", "m", "x"], "priors": "integer", "smoker": "boolean"}
)


def form_of(tree, space=SPACE):
    return ol.canonicalize(ol.read(tree, space=space))
