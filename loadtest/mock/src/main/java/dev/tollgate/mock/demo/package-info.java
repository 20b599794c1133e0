/**
 * The demo model of the mock provider: answers in sentences, instances of a requested JSON schema,
 * and calls of tools.
 */
@NullMarked
package dev.tollgate.mock.demo;

import org.jspecify.annotations.NullMarked;
