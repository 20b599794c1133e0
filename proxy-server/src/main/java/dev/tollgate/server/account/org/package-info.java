/**
 * Services of organizations and their people: members, invitations, the operator's organizations
 * and the audit log. Each method is one change or one query, of which a change is one transaction
 * with its row in the audit log.
 */
@NullMarked
package dev.tollgate.server.account.org;

import org.jspecify.annotations.NullMarked;
