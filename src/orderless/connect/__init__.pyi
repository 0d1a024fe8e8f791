from .tables.cells import (
    TRUTHS as TRUTHS,
    known_cells as known_cells,
    parser_of as parser_of,
    plain_cells as plain_cells,
    wanted_columns as wanted_columns,
)
from .tables.part import (
    Part as Part,
    cells_of as cells_of,
)
from .tables.predict import (
    ENDINGS as ENDINGS,
    predict_file as predict_file,
)
from .tables.result import (
    FilePrediction as FilePrediction,
)
from .tables.table import (
    TableFile as TableFile,
    open_table as open_table,
)
