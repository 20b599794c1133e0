-- People, organizations and what they own, for calls of the control plane by every kind of caller.
-- The names in {braces} are filled in by FixtureRows. A person's number is the end of its ids, and
-- its name is how it signs in.

INSERT INTO organization (id, name, state, webhook_secret)
VALUES ('0a000000-0000-4000-8000-000000000001', 'main-org', 'active', sha256('1')),
       ('0a000000-0000-4000-8000-000000000002', 'other-org', 'active', sha256('2')),
       ('0a000000-0000-4000-8000-000000000003', 'suspended-org', 'suspended', sha256('3')),
       ('0a000000-0000-4000-8000-000000000004', 'guest-org', 'active', sha256('4'));

INSERT INTO user_account (id, email, email_key, name, state, is_operator, password_hash,
                          password_at, verified_at)
SELECT ('0b000000-0000-4000-8000-0000000000' || p.number)::uuid, p.name || '@example.com',
       p.name || '@example.com', p.name, p.state, p.name LIKE '%operator', '{password_hash}',
       now(), CASE WHEN p.state <> 'pending' THEN now() END
  FROM (VALUES ('01', 'viewer', 'active'), ('02', 'developer', 'active'),
               ('03', 'billing', 'active'), ('04', 'admin', 'active'), ('05', 'owner', 'active'),
               ('06', 'other_owner', 'active'), ('07', 'operator', 'active'),
               ('08', 'disabled', 'disabled'), ('09', 'suspended_owner', 'active'),
               ('10', 'second_owner', 'active'), ('11', 'member', 'active'),
               ('12', 'second_operator', 'active'), ('13', 'other_second_owner', 'active'),
               ('14', 'suspended_second_owner', 'active'), ('15', 'suspended_member', 'active'),
               ('16', 'separate', 'active'), ('17', 'pending', 'pending')) AS p (number, name, state);

INSERT INTO membership (org_id, user_id, role)
SELECT ('0a000000-0000-4000-8000-00000000000' || m.org)::uuid,
       ('0b000000-0000-4000-8000-0000000000' || m.person)::uuid, m.role
  FROM (VALUES (1, '01', 'viewer'), (1, '02', 'developer'), (1, '03', 'billing'),
               (1, '04', 'admin'), (1, '05', 'owner'), (1, '08', 'owner'), (1, '10', 'owner'),
               (1, '11', 'developer'), (2, '06', 'owner'), (2, '13', 'owner'), (3, '09', 'owner'),
               (3, '14', 'owner'), (3, '15', 'developer')) AS m (org, person, role);

-- Each person has a session that was proven now, and one that was proven too long ago.
INSERT INTO user_session (id, user_id, token_hash, proven_at, expires_at, how, ip, user_agent)
SELECT (s.prefix || right(u.id::text, 28))::uuid, u.id,
       sha256(convert_to(s.cookie || u.name, 'UTF8')), now() - s.age, now() + interval '1 day',
       '{pwd}', '127.0.0.1', 'test'
  FROM user_account u,
       (VALUES ('0c000000', 'session-of-', interval '0'),
               ('0d000000', 'old-session-of-', interval '11 minutes')) AS s (prefix, cookie, age)
 WHERE u.state <> 'pending';

INSERT INTO control_token (id, org_id, name, hash, last_four, role, created_by, expires_at)
VALUES ('{token_admin_id}', '0a000000-0000-4000-8000-000000000001', 'token_admin',
        sha256('{token_admin}'), 'abcd', 'admin', '0b000000-0000-4000-8000-000000000005',
        now() + interval '1 day'),
       ('{token_operator_id}', NULL, 'token_operator', sha256('{token_operator}'), 'abcd',
        'operator', '0b000000-0000-4000-8000-000000000007', now() + interval '1 day');

INSERT INTO api_key (id, org_id, name, hash, last_four, created_by)
SELECT k.id, ('0a000000-0000-4000-8000-00000000000' || k.org)::uuid, k.id,
       sha256(convert_to(k.id, 'UTF8')), 'abcd', k.by
  FROM (SELECT 'ownKey' || right(u.id::text, 2),
               CASE u.name WHEN 'other_owner' THEN 2 WHEN 'suspended_owner' THEN 3 ELSE 1 END,
               'user:' || u.id
          FROM user_account u WHERE u.id <= '0b000000-0000-4000-8000-000000000009'
        UNION ALL VALUES ('ownKeyTA', 1, 'token:{token_admin_id}'),
                         ('ownKeyTO', 1, 'token:{token_operator_id}'),
                         ('keyMain1', 1, 'user:0b000000-0000-4000-8000-000000000010'),
                         ('keyOthr1', 2, 'user:0b000000-0000-4000-8000-000000000013'),
                         ('keySusp1', 3, 'user:0b000000-0000-4000-8000-000000000014')
       ) AS k (id, org, by);

INSERT INTO ledger_entry (org_id, kind, amount_micro, ref, actor)
SELECT id, 'funding', 100000000, 'fixture-' || name, 'test'
  FROM organization WHERE id >= '0a000000-0000-4000-8000-000000000001'
                      AND id <= '0a000000-0000-4000-8000-000000000004';

-- Open invitations to a stranger; and for each person one to an organization where it is not yet.
INSERT INTO invitation (id, org_id, email, email_key, role, token_hash, invited_by, expires_at)
SELECT ('0e000000-0000-4000-8000-00000000000' || i.org)::uuid,
       ('0a000000-0000-4000-8000-00000000000' || i.org)::uuid, 'waiting@example.com',
       'waiting@example.com', 'viewer', sha256(convert_to('waiting' || i.org, 'UTF8')), 'owner',
       now() + interval '7 days'
  FROM (VALUES (1), (2), (3)) AS i (org)
UNION ALL
SELECT ('0f000000' || right(p.id::text, 28))::uuid, '0a000000-0000-4000-8000-000000000004',
       p.name || '@example.com', p.name || '@example.com', 'developer',
       sha256(convert_to('invite-of-' || p.name, 'UTF8')), 'owner', now() + interval '7 days'
  FROM (SELECT id, name FROM user_account
        UNION ALL VALUES ('00000000-0000-4000-8000-000000000099'::uuid, 'stranger')) AS p;

INSERT INTO one_time_token (token_hash, purpose, user_id, expires_at)
VALUES (sha256('reset-of-separate'), 'reset_password', '0b000000-0000-4000-8000-000000000016',
        now() + interval '30 minutes'),
       (sha256('verify-of-pending'), 'verify_email', '0b000000-0000-4000-8000-000000000017',
        now() + interval '30 minutes');

-- A request of each organization, in the log and in the view of it.
INSERT INTO request_log (day, request_id, org_id, key_id, row, at)
SELECT (now() AT TIME ZONE 'UTC')::date, r.id,
       ('0a000000-0000-4000-8000-00000000000' || r.org)::uuid, r.key,
       '{"route":"/v1/chat/completions","status":200,"outcome":"ok","client_ip":"192.0.2.7",'
       || '"total_ms":1200.4,"model":"test/chat","provider":"mock","routing":'
       || '"strategy=priority selected=mock","stream":true,"ttft_ms":200.0,"upstream_ms":1100.1,'
       || '"overhead_ms":0.25,"prompt_tokens":8,"completion_tokens":4,"cached_tokens":0,'
       || '"reasoning_tokens":0,"estimated":false,"cost_micro":0,"attempts":[],"phases":[],'
       || '"request_bytes":10,"response_bytes":20}', now() - interval '3 days'
  FROM (VALUES ('{request_1}', 1, 'keyMain1'), ('{request_2}', 2, 'keyOthr1'),
               ('{request_3}', 3, 'keySusp1')) AS r (id, org, key);

INSERT INTO request_view (day, request_id, org_id, key_id, at, endpoint, model, provider, status,
                          outcome, stream, estimated, fallback, resumed, hedged, attempts,
                          prompt_tokens, completion_tokens, cached_tokens, reasoning_tokens,
                          cost_micro, operator_cost_micro)
SELECT day, request_id, org_id, key_id, now(), '/v1/chat/completions', 'test/chat', 'mock', 200,
       'ok', true, false, false, false, false, 1, 8, 4, 0, 0, 0, 0
  FROM request_log WHERE request_id IN ('{request_1}', '{request_2}', '{request_3}');
