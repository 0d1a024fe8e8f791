from .look import (
    short_names as short_names,
)
from .policy import (
    draw_policy as draw_policy,
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
from .rid import (
    draw as draw,
)
from .trees import (
    plot_tree as plot_tree,
)
