/** Announcements of finished jobs, brought to receivers. */
@NullMarked
package dev.tollgate.server.webhook;

import org.jspecify.annotations.NullMarked;
