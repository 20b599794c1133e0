/** Java clients of OpenAI's API against the real binary and a scripted provider of each format. */
@NullMarked
package dev.tollgate.sdk;

import org.jspecify.annotations.NullMarked;
