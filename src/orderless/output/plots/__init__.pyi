from .displays import (
    CoverageDisplay as CoverageDisplay,
    RashomonDisplay as RashomonDisplay,
    RulesDisplay as RulesDisplay,
)
from .fronts import (
    plot_front as plot_front,
)
from .look import (
    BLUE as BLUE,
    DARK_GREY as DARK_GREY,
    ERROR_BAR as ERROR_BAR,
    GREEN as GREEN,
    GREY as GREY,
    INK as INK,
    LETTERS as LETTERS,
    LINE as LINE,
    ORANGE as ORANGE,
    PALE_BLUE as PALE_BLUE,
    PALE_VERMILION as PALE_VERMILION,
    VERMILION as VERMILION,
    short_names as short_names,
)
from .measures import (
    draw_coverage as draw_coverage,
    draw_distributions as draw_distributions,
    draw_importance as draw_importance,
    draw_thresholds as draw_thresholds,
    draw_widths as draw_widths,
)
from .rashomon import (
    draw_sizes as draw_sizes,
    plot_map as plot_map,
    plot_objectives as plot_objectives,
    plot_sizes as plot_sizes,
)
from .regions import (
    plot_rules as plot_rules,
)
from .trees import (
    plot_tree as plot_tree,
)
