/** What tests of both modules share: corpora, seeds, a scripted upstream, a raw client. */
@NullMarked
package dev.tollgate.core.testkit;

import org.jspecify.annotations.NullMarked;
