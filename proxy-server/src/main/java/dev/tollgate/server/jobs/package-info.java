/** Videos and music in work: what providers make of them, and the workers that see to it. */
@NullMarked
package dev.tollgate.server.jobs;

import org.jspecify.annotations.NullMarked;
