/** What tests of both modules share: corpora, seeds, ports to the outside that tests can hold. */
@NullMarked
package dev.tollgate.core.testkit;

import org.jspecify.annotations.NullMarked;
