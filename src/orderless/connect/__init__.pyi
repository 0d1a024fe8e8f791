from .tables.cells import (
    TRUTHS as TRUTHS,
    parser_of as parser_of,
    plain_cells as plain_cells,
    read_cells as read_cells,
    wanted_columns as wanted_columns,
)
from .tables.part import (
    Part as Part,
    cells_of as cells_of,
)
from .tables.predict import (
    file_format as file_format,
    predict_file as predict_file,
)
from .tables.result import (
    FilePrediction as FilePrediction,
    Unseen as Unseen,
    unseen_notes as unseen_notes,
)
from .tables.table import (
    TableFile as TableFile,
    open_table as open_table,
)
