/**
 * Gatling scenarios: what a gateway must do under load, one file each. What they have in common is
 * {@link dev.tollgate.loadtest.LoadSimulation}; the gateway they meet is a {@link
 * dev.tollgate.loadtest.Subject}.
 */
@NullMarked
package dev.tollgate.loadtest;

import org.jspecify.annotations.NullMarked;
