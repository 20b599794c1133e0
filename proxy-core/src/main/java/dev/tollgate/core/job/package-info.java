/**
 * Videos and music that are made in the background: jobs, their states, and their form in the API.
 */
@NullMarked
package dev.tollgate.core.job;

import org.jspecify.annotations.NullMarked;
