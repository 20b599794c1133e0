/**
 * Binding of YAML configuration to annotated records. One description serves the binder, the JSON
 * Schema, the masked JSON and the comparison at reload.
 */
@NullMarked
package dev.tollgate.server.settings.binding;

import org.jspecify.annotations.NullMarked;
