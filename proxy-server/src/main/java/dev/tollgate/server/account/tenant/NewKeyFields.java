package dev.tollgate.server.account.tenant;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.tollgate.core.id.KeyId;
import org.jspecify.annotations.Nullable;

/**
 * Fields of a new API key.
 *
 * @param copyOf the key whose fields it has unless they are given; null: none
 */
public record NewKeyFields(@JsonUnwrapped KeyPatch fields, @Nullable KeyId copyOf) {}
