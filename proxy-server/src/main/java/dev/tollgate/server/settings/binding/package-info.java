/**
 * The grammar of a configuration, derived from annotated records: one description drives the
 * reader, the JSON Schema, the masked rendering and the comparison at reload.
 */
@NullMarked
package dev.tollgate.server.settings.binding;

import org.jspecify.annotations.NullMarked;
