package dev.tollgate.core.json;

/**
 * JSON value that a {@link JsonSplice} inserts: finished bytes, or another object or array with its
 * own edits.
 */
public sealed interface JsonValue permits JsonBytes, JsonSplice {}
