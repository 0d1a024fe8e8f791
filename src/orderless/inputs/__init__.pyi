from .answers import (
    Predictor as Predictor,
    codes_for as codes_for,
    predict as predict,
)
from .binarize import (
    Binarizer as Binarizer,
    NoCut as NoCut,
)
from .cell_style import (
    PLAIN as PLAIN,
    CellStyle as CellStyle,
    Missing as Missing,
    Mixture as Mixture,
    mixture_of as mixture_of,
    notations as notations,
    unknown as unknown,
)
from .costs import (
    read_costs as read_costs,
    without_cost as without_cost,
)
from .decimals import (
    exact as exact,
    exact_number as exact_number,
    shown as shown,
)
from .discover import (
    Proposal as Proposal,
    discover as discover,
)
from .files import (
    MOST_BYTES as MOST_BYTES,
    read_file as read_file,
    whole_file as whole_file,
    write_whole as write_whole,
)
from .frames import (
    Between as Between,
    arrow_floats as arrow_floats,
    arrow_slices as arrow_slices,
    column_like as column_like,
    frame_of as frame_of,
    is_frame as is_frame,
    labels_like as labels_like,
    masked_like as masked_like,
    names_of as names_of,
    rows_at as rows_at,
    table_like as table_like,
)
from .infer import (
    infer_space as infer_space,
    read_table_columns as read_table_columns,
    refuse_numbers as refuse_numbers,
)
from .labels import (
    class_codes as class_codes,
    label_array as label_array,
    number_array as number_array,
    numbered_classes as numbered_classes,
)
from .names import (
    near as near,
    some_names as some_names,
)
from .optional import (
    import_optional as import_optional,
    to_install as to_install,
)
from .progress import (
    bar as bar,
    busy as busy,
    counted as counted,
    watched as watched,
)
from .ranges import (
    read_between as read_between,
    read_region as read_region,
    rows_for as rows_for,
)
from .rows import (
    EXACT as EXACT,
    NOT_GIVEN as NOT_GIVEN,
    absent_columns as absent_columns,
    as_values as as_values,
    column_value as column_value,
    is_unknown as is_unknown,
    one_row as one_row,
    open_rows as open_rows,
    read_codes as read_codes,
    read_columns as read_columns,
    read_numbers as read_numbers,
    read_rows as read_rows,
    refuse_rounding as refuse_rounding,
    row_and_cells as row_and_cells,
    row_at as row_at,
)
from .seeds import (
    RandomState as RandomState,
    generator as generator,
    whole_seed as whole_seed,
)
from .weights import (
    exact_weights as exact_weights,
    float_weights as float_weights,
)
