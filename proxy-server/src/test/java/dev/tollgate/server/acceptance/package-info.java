/** The built program as a child process, met by real clients and providers over sockets. */
@NullMarked
package dev.tollgate.server.acceptance;

import org.jspecify.annotations.NullMarked;
