package dev.tollgate.core.json;

/** Value that a splice inserts: finished bytes, or another object or array with its own edits. */
public sealed interface JsonValue permits JsonBytes, JsonSplice {}
