from .exported.check import (
    ExportCheck as ExportCheck,
    check_export as check_export,
)
from .tables.cells import (
    TRUTHS as TRUTHS,
    Unseen as Unseen,
    parser_of as parser_of,
    plain_cells as plain_cells,
    read_cells as read_cells,
    unseen_notes as unseen_notes,
    wanted_columns as wanted_columns,
)
from .tables.part import (
    Part as Part,
    cells_of as cells_of,
)
from .tables.predict import (
    FilePrediction as FilePrediction,
    file_format as file_format,
    predict_file as predict_file,
)
from .tables.table import (
    TableFile as TableFile,
    open_table as open_table,
)
