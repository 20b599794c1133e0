/**
 * Members of the assistant's earlier messages that other providers do not have: what they say is
 * sent in another place, and what is lost is named.
 */
@NullMarked
package dev.tollgate.core.dialect.message;

import org.jspecify.annotations.NullMarked;
