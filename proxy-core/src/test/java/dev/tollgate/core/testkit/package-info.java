/** Shared by the tests of all modules: corpora, seeds, a scripted upstream, a raw client. */
@NullMarked
package dev.tollgate.core.testkit;

import org.jspecify.annotations.NullMarked;
