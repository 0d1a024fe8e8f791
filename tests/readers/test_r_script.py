"""The R script is there, in a wheel too."""

import orderless as ol


def test_the_script_is_a_file():
    path = ol.r_script()
    assert path.is_file()
    assert "orderless_json <- function(model" in path.read_text(encoding="utf-8")
