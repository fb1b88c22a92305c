# Rows and other responses from Passerelle in R. Rows need only R itself, other responses the package jsonlite.

gateway <- Sys.getenv("GATEWAY_URL", "http://127.0.0.1:4000")

address <- function(parameters) {
  encoded <- vapply(parameters, function(value) URLencode(value, reserved = TRUE), "")
  paste0(gateway, "/graphql?", paste(names(parameters), encoded, sep = "=", collapse = "&"))
}

# Rows: the address that "Copy data link" on the analyst page copies. Read as text, codes keep their leading zeros.
missions <- read.csv(
  address(c(
    query = "query($first: Int = 500, $after: String) {
      missions(first: $first, after: $after) { nodes { id title domain departmentName location { lon lat } } }
    }",
    format = "csv",
    pages = "all"
  )),
  colClasses = "character",
  encoding = "UTF-8"
)
# A file that is cut off says so in its last line, which begins with #.
stopifnot(!startsWith(tail(missions$id, 1), "#"))
cat("missions:", nrow(missions), "\n")
cat("domains:", length(unique(missions$domain)), "\n")

# Other responses, for data that is not a table. A query sent by GET needs no package for HTTP.
if (requireNamespace("jsonlite", quietly = TRUE)) {
  answer <- jsonlite::fromJSON(address(c(query = "{ communesByName(name: \"Saint Denis\", first: 3) { id nom } }")))
  if (!is.null(answer$errors)) print(answer$errors)
  cat("first commune:", answer$data$communesByName$nom[1], "\n")
}
