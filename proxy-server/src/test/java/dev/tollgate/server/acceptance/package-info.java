/**
 * Acceptance tests: the built program as a child process, with real clients and providers over
 * sockets.
 */
@NullMarked
package dev.tollgate.server.acceptance;

import org.jspecify.annotations.NullMarked;
