package dev.tollgate.core.json;

/** What a splice puts in: finished bytes, or another object or array with edits of its own. */
public sealed interface JsonValue permits JsonBytes, JsonSplice {}
