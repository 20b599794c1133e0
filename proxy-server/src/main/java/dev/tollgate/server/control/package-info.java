/**
 * The control plane's listener: its own event loop, the checks that precede every call in the order
 * in which they refuse, the threads that carry calls out, and the encoding of replies.
 */
@NullMarked
package dev.tollgate.server.control;

import org.jspecify.annotations.NullMarked;
