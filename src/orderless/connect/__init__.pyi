from .tables.cells import (
    TRUTHS as TRUTHS,
)
from .tables.cells import (
    known_cells as known_cells,
)
from .tables.cells import (
    parser_of as parser_of,
)
from .tables.cells import (
    plain_cells as plain_cells,
)
from .tables.cells import (
    wanted_columns as wanted_columns,
)
from .tables.part import (
    Part as Part,
)
from .tables.part import (
    cells_of as cells_of,
)
from .tables.predict import (
    ENDINGS as ENDINGS,
)
from .tables.predict import (
    predict_file as predict_file,
)
from .tables.result import (
    FilePrediction as FilePrediction,
)
from .tables.table import (
    TableFile as TableFile,
)
from .tables.table import (
    open_table as open_table,
)
