"""The R script is there, in a wheel too."""

from orderless.readers import r_script


def test_the_script_is_a_file():
    path = r_script()
    assert path.is_file()
    assert "orderless_json <- function(model" in path.read_text(encoding="utf-8")
