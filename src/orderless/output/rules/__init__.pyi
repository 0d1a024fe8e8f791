from .difference import (
    difference_as_page as difference_as_page,
)
from .html import (
    form_as_html as form_as_html,
    form_in_short_html as form_in_short_html,
    tree_as_html as tree_as_html,
)
from .latex import (
    form_as_latex as form_as_latex,
)
from .listing import (
    Shown as Shown,
    list_terms as list_terms,
    listing_records as listing_records,
)
from .policies import (
    policy_as_html as policy_as_html,
    policy_as_text as policy_as_text,
    policy_summary as policy_summary,
)
from .text import (
    column_widths as column_widths,
    escaped as escaped,
    form_as_markdown as form_as_markdown,
    form_as_text as form_as_text,
    form_in_short as form_in_short,
    markdown_line as markdown_line,
    markdown_table as markdown_table,
    text_line as text_line,
    text_table as text_table,
)
