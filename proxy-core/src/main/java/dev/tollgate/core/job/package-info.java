/**
 * Media jobs, which generate videos and music in the background: their states, store port and JSON.
 */
@NullMarked
package dev.tollgate.core.job;

import org.jspecify.annotations.NullMarked;
