from . import (
    formats as formats,
)
from .bins import (
    Bins as Bins,
)
from .box import (
    Side as Side,
)
from .common_space import (
    over_common_space as over_common_space,
)
from .escapes import (
    FORMULA as FORMULA,
)
from .escapes import (
    PLAIN_NUMBER as PLAIN_NUMBER,
)
from .escapes import (
    cut as cut,
)
from .escapes import (
    not_formula as not_formula,
)
from .escapes import (
    printable as printable,
)
from .escapes import (
    shown as shown,
)
from .example import (
    any_value as any_value,
)
from .example import (
    value_in as value_in,
)
from .formats import (
    parse as parse,
)
from .numbers import (
    row_boundary as row_boundary,
)
from .numbers import (
    short_count as short_count,
)
from .numbers import (
    short_end as short_end,
)
from .numbers import (
    short_number as short_number,
)
from .numbers import (
    value_at_most as value_at_most,
)
from .space import (
    Column as Column,
)
from .space import (
    Condition as Condition,
)
from .space import (
    Feature as Feature,
)
from .space import (
    Label as Label,
)
from .space import (
    Space as Space,
)
from .space import (
    Values as Values,
)
from .space import (
    plain_label as plain_label,
)
from .tree import (
    TREE_FORMAT as TREE_FORMAT,
)
from .tree import (
    Tree as Tree,
)
from .words import (
    Piece as Piece,
)
from .words import (
    drawn as drawn,
)
from .words import (
    has_or as has_or,
)
from .words import (
    label_text as label_text,
)
from .words import (
    pieces as pieces,
)
from .words import (
    side_text as side_text,
)
from .words import (
    sides_text as sides_text,
)
