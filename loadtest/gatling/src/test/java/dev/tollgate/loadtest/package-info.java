/**
 * Gatling scenarios: one file for each behaviour of a gateway under load. {@link
 * dev.tollgate.loadtest.LoadSimulation} is their common base; {@link dev.tollgate.loadtest.Subject}
 * is the gateway under load.
 */
@NullMarked
package dev.tollgate.loadtest;

import org.jspecify.annotations.NullMarked;
