"""Charts as numbers on a plane; `pages/templates/charts.svg.j2` draws them as inline SVG."""
