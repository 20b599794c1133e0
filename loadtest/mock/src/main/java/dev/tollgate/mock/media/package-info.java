/**
 * Videos and music of the mock provider: jobs with configurable durations and faults, and small
 * encoders for playable files.
 */
@NullMarked
package dev.tollgate.mock.media;

import org.jspecify.annotations.NullMarked;
