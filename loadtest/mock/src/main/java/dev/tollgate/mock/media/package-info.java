/**
 * The mock provider's videos and music: jobs that take their time and fail as told, and small
 * encoders whose files players open.
 */
@NullMarked
package dev.tollgate.mock.media;

import org.jspecify.annotations.NullMarked;
