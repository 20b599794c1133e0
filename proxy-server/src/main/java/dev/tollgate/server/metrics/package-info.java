/** Registry of the node's metrics, and their names, labels and help texts by area. */
@NullMarked
package dev.tollgate.server.metrics;

import org.jspecify.annotations.NullMarked;
