package dev.tollgate.server.postgres.embedded;

import dev.tollgate.core.catalog.Secret;
import org.jspecify.annotations.Nullable;

/** What a client needs to reach a database. */
public record DatabaseAddress(String url, @Nullable String username, @Nullable Secret password) {}
