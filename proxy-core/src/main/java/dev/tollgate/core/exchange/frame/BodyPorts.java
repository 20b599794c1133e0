package dev.tollgate.core.exchange.frame;

/**
 * Memory and threads for whole bodies, shared by all exchanges of a process.
 *
 * @param inflight budget of the bytes that requests hold in memory
 * @param offload threads that parse and translate large bodies
 */
public record BodyPorts(InflightBytes inflight, Offload offload) {}
