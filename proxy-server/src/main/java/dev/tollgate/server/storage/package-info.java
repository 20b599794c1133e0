/** Outputs kept in a directory of this machine, and deleted when they are over. */
@NullMarked
package dev.tollgate.server.storage;

import org.jspecify.annotations.NullMarked;
