/**
 * OAuth access tokens for calling providers, fetched with a private key that is never sent, and
 * renewed before they expire.
 */
@NullMarked
package dev.tollgate.server.oauth;

import org.jspecify.annotations.NullMarked;
