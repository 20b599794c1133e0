/**
 * Services of what an organization owns: API keys, credits, budgets, limits and the secret of its
 * webhooks. Each method is one change or one query, of which a change is one transaction with its
 * row in the audit log.
 */
@NullMarked
package dev.tollgate.server.account.tenant;

import org.jspecify.annotations.NullMarked;
