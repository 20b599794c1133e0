package dev.tollgate.server.control.route;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One page of a list.
 *
 * @param nextCursor null on the last page
 */
public record Page<T>(List<T> data, @Nullable String nextCursor) {}
