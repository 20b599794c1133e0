/** Outputs stored in a directory of this machine, and deleted when they expire. */
@NullMarked
package dev.tollgate.server.storage;

import org.jspecify.annotations.NullMarked;
