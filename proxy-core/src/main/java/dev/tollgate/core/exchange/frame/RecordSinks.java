package dev.tollgate.core.exchange.frame;

import java.util.function.Function;

/**
 * Destinations of request records: the observer, and the rows of the request log.
 *
 * @param observer gets every record when its request has ended
 * @param rows makes the row of the request log, a JSON object that is written with the charge
 */
public record RecordSinks(RequestObserver observer, Function<RequestRecord, byte[]> rows) {}
