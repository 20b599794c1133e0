/** Workers that run media jobs at providers, and the copying of their files. */
@NullMarked
package dev.tollgate.server.jobs;

import org.jspecify.annotations.NullMarked;
