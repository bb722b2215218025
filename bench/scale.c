/* A hand-written DOP853 for four motions side by side, with hand-derived reduced equations: what ensembles are measured
   against.

   The numbers of the method come from a header that bench/motion.py writes. Four lanes step together, each with its own step;
   a lane that has arrived waits for the others. Sine and cosine are those of the vector library that comes with glibc. The
   robot is in the variables of Koiller's equations, the snakeboard in the one direction that both axles allow. */

#include <immintrin.h>
#define REAL double
#include "dop853_numbers.h"

typedef __m256d vec;
vec _ZGVdN4v_sin(vec), _ZGVdN4v_cos(vec);
#define SIN _ZGVdN4v_sin
#define COS _ZGVdN4v_cos
#define SQRT _mm256_sqrt_pd
#define MOST 10
static inline vec all(double x) { return _mm256_set1_pd(x); }
static inline vec size_of(vec x) { return _mm256_andnot_pd(all(-0.0), x); }
static inline vec biggest(vec a, vec b) { return _mm256_max_pd(a, b); }
static inline vec smallest(vec a, vec b) { return _mm256_min_pd(a, b); }
static inline vec choose(vec truth, vec a, vec b) { return _mm256_blendv_pd(b, a, truth); }
#define LESS(a, b) _mm256_cmp_pd(a, b, _CMP_LE_OQ)

/* y = psi1 psi2 psi1' psi2' x y theta, p = what the parameters make of themselves */
typedef struct { double a, b, R2, Rc; } robot_parameters;
static inline void robot(const vec *y, const void *given, vec *f) {
    const robot_parameters *p = given;
    vec s = y[2] + y[3], d = y[2] - y[3], sd = p->a * d * d, dd = p->b * s * d, v = -p->R2 * s;
    f[0] = y[2];
    f[1] = y[3];
    f[2] = 0.5 * (sd + dd);
    f[3] = 0.5 * (sd - dd);
    f[4] = v * COS(y[6]);
    f[5] = v * SIN(y[6]);
    f[6] = -p->Rc * d;
}

/* y = x y theta psi phi1 phi2 u psi' phi1' phi2' */
typedef struct { double m, l, J; } board_parameters;
static inline void snakeboard(const vec *y, const void *given, vec *f) {
    const board_parameters *p = given;
    double m = p->m, l = 1 / p->l, J = p->J;
    vec u = y[6], s1 = SIN(y[4]), c1 = COS(y[4]), s2 = SIN(y[5]), c2 = COS(y[5]), st = SIN(y[2]), ct = COS(y[2]);
    vec cc = c1 * c2, ss = s1 * s2, sc = s1 * c2, cs = c1 * s2;
    vec a = 2 * cc, b = sc + cs, c = l * (sc - cs);
    vec ad = -2 * (sc * y[8] + cs * y[9]), bd = (cc - ss) * (y[8] + y[9]), cd = l * (cc + ss) * (y[8] - y[9]);
    vec ud = -u * (m * (a * ad + b * bd) + J * c * cd) / (m * (a * a + b * b) + J * c * c);
    vec turn = cd * u + c * ud;
    f[0] = u * (a * ct - b * st);
    f[1] = u * (a * st + b * ct);
    f[2] = u * c;
    f[3] = y[7];
    f[4] = y[8];
    f[5] = y[9];
    f[6] = ud;
    f[7] = f[8] = f[9] = -turn;
}

typedef void (*field)(const vec *, const void *, vec *);
#define FORALL _Pragma("GCC unroll 10") for (int i = 0; i < n; i++)
#define STAGE(k, sum)               \
    FORALL z[i] = y[i] + h * (sum); \
    rates(z, p, k);

__attribute__((always_inline)) static inline void four(field rates, int n, double end, double tolerance, vec *y,
                                                       const void *p) {
    vec k1[MOST], k2[MOST], k3[MOST], k4[MOST], k5[MOST], k6[MOST], k7[MOST], k8[MOST], k9[MOST], k10[MOST], k11[MOST],
        k12[MOST], z[MOST], s[MOST];
    vec t = all(0), d0 = all(0), d1 = all(0), d2 = all(0), refused = all(0), zero = all(0);
    rates(y, p, k1);
    FORALL {
        vec sk = 1 / (tolerance + tolerance * size_of(y[i]));
        d0 += y[i] * sk * y[i] * sk;
        d1 += k1[i] * sk * k1[i] * sk;
    }
    vec h = choose(LESS(smallest(d0, d1), all(1e-10)), all(1e-6), SQRT(d0 / d1) * 0.01);
    FORALL z[i] = y[i] + h * k1[i];
    rates(z, p, k2);
    FORALL {
        vec sk = 1 / (tolerance + tolerance * size_of(y[i]));
        d2 += (k2[i] - k1[i]) * sk * (k2[i] - k1[i]) * sk;
    }
    vec steep = biggest(SQRT(d2 / n) / h, SQRT(d1 / n));
    h = smallest(100 * h, SQRT(SQRT(SQRT(0.01 / biggest(steep, all(1e-15))))));
    for (long steps = 0; steps < 100000; steps++) {
        vec left = end - t, last = LESS(left, 1.01 * h);
        h = choose(last, left, h);
        STAGE(k2, A1_0 * k1[i])
        STAGE(k3, A2_0 * k1[i] + A2_1 * k2[i])
        STAGE(k4, A3_0 * k1[i] + A3_2 * k3[i])
        STAGE(k5, A4_0 * k1[i] + A4_2 * k3[i] + A4_3 * k4[i])
        STAGE(k6, A5_0 * k1[i] + A5_3 * k4[i] + A5_4 * k5[i])
        STAGE(k7, A6_0 * k1[i] + A6_3 * k4[i] + A6_4 * k5[i] + A6_5 * k6[i])
        STAGE(k8, A7_0 * k1[i] + A7_3 * k4[i] + A7_4 * k5[i] + A7_5 * k6[i] + A7_6 * k7[i])
        STAGE(k9, A8_0 * k1[i] + A8_3 * k4[i] + A8_4 * k5[i] + A8_5 * k6[i] + A8_6 * k7[i] + A8_7 * k8[i])
        STAGE(k10, A9_0 * k1[i] + A9_3 * k4[i] + A9_4 * k5[i] + A9_5 * k6[i] + A9_6 * k7[i] + A9_7 * k8[i] + A9_8 * k9[i])
        STAGE(k11, A10_0 * k1[i] + A10_3 * k4[i] + A10_4 * k5[i] + A10_5 * k6[i] + A10_6 * k7[i] + A10_7 * k8[i] +
                       A10_8 * k9[i] + A10_9 * k10[i])
        STAGE(k12, A11_0 * k1[i] + A11_3 * k4[i] + A11_4 * k5[i] + A11_5 * k6[i] + A11_6 * k7[i] + A11_7 * k8[i] +
                       A11_8 * k9[i] + A11_9 * k10[i] + A11_10 * k11[i])
        vec e5 = zero, e3 = zero;
        FORALL {
            vec b = A12_0 * k1[i] + A12_5 * k6[i] + A12_6 * k7[i] + A12_7 * k8[i] + A12_8 * k9[i] + A12_9 * k10[i] +
                    A12_10 * k11[i] + A12_11 * k12[i];
            s[i] = y[i] + h * b;
            vec sk = 1 / (tolerance + tolerance * biggest(size_of(y[i]), size_of(s[i])));
            vec five = (E5_0 * k1[i] + E5_5 * k6[i] + E5_6 * k7[i] + E5_7 * k8[i] + E5_8 * k9[i] + E5_9 * k10[i] +
                        E5_10 * k11[i] + E5_11 * k12[i]) * sk;
            vec three = (b - B3_0 * k1[i] - B3_8 * k9[i] - B3_11 * k12[i]) * sk;
            e5 += five * five;
            e3 += three * three;
        }
        vec error = h * e5 / SQRT(n * (e5 + 0.01 * e3) + 1e-300);
        vec by = smallest(biggest(SQRT(SQRT(SQRT(error))) * (1 / 0.9), all(1.0 / 6)), all(3));
        vec taken = LESS(error, all(1));
        t = choose(taken, choose(last, all(end), t + h), t);
        FORALL y[i] = choose(taken, s[i], y[i]);
        if (_mm256_movemask_pd(LESS(all(end), t)) == 15) return;
        rates(y, p, k1);
        by = choose(_mm256_and_pd(taken, _mm256_cmp_pd(refused, zero, _CMP_NEQ_OQ)), biggest(by, all(1)), by);
        refused = choose(taken, zero, all(1));
        h = h / by;
    }
}

#define MANY(name, n)                                                                                          \
    void name##_many(long first, long members, double end, double tolerance, double *rows, const void *p) {    \
        for (long m = first; m < members; m += 4) {                                                            \
            vec y[MOST];                                                                                       \
            for (int i = 0; i < n; i++)                                                                        \
                for (int j = 0; j < 4; j++) y[i][j] = rows[(m + j < members ? m + j : members - 1) * n + i];   \
            four(name, n, end, tolerance, y, p);                                                               \
            for (int i = 0; i < n; i++)                                                                        \
                for (int j = 0; j < 4; j++)                                                                    \
                    if (m + j < members) rows[(m + j) * n + i] = y[i][j];                                      \
        }                                                                                                      \
    }
MANY(robot, 7)
MANY(snakeboard, 10)
