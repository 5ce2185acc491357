"""The library under the command line: it joins search, tracking, report and display."""
