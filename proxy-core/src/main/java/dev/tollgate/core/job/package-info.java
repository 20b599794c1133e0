/**
 * Videos and music that are made while nobody waits: what a job is, what may become of it, and how
 * clients see it.
 */
@NullMarked
package dev.tollgate.core.job;

import org.jspecify.annotations.NullMarked;
