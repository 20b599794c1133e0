/** The Responses API on top of chat completions: requests, items, events and replies. */
@NullMarked
package dev.tollgate.core.api.responses;

import org.jspecify.annotations.NullMarked;
