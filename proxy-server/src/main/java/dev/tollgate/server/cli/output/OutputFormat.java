package dev.tollgate.server.cli.output;

/** Format of printed rows: a table for people, JSON or CSV for programs. */
public enum OutputFormat {
  table,
  json,
  csv;

  /** Names for the help of an option. */
  public static final String NAMES = "table|json|csv";
}
