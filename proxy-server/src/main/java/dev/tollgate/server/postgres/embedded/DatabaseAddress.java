package dev.tollgate.server.postgres.embedded;

import dev.tollgate.core.catalog.Secret;
import org.jspecify.annotations.Nullable;

/** JDBC URL and credentials of a PostgreSQL database. */
public record DatabaseAddress(String url, @Nullable String username, @Nullable Secret password) {}
