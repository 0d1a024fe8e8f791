"""The net under the redesign: answers that every step must reproduce to the last bit.

``inputs/`` holds models, rows, tables and files of libraries as plain data, drawn once at random.
``questions.py`` asks the package about them; no other file knows the names of the package.
``answers/`` holds what was answered. ``python -m tests.net write`` writes the answers anew, which a
commit does only if it says which answers changed, and why; ``python -m tests.net draw`` drew the
inputs. The net goes when the redesign is done.
"""
